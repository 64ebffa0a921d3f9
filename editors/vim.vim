" With vim-lsp (https://github.com/prabirshrestha/vim-lsp), in ~/.vimrc:
if executable('autograd-lint')
  augroup autograd_lint
    autocmd!
    autocmd User lsp_setup call lsp#register_server({
          \ 'name': 'autograd-lint',
          \ 'cmd': ['autograd-lint', 'server'],
          \ 'allowlist': ['python'],
          \ 'initialization_options': {'autograd-lint': {'certainty': 'likely'}},
          \ })
  augroup END
endif
