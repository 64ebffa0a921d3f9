-- autograd-lint in Neovim: paste into init.lua, or source it from there.
-- `autograd-lint` has to be on the path: pip install 'autograd-lint[server]'

local config = {
  name = 'autograd_lint',
  cmd = { 'autograd-lint', 'server' },
  filetypes = { 'python' },
  root_markers = { 'pyproject.toml', 'setup.py', 'setup.cfg', '.git' },
  -- The keys of a configuration file, and `run`, `enable`, `config`, `unsafe-fixes`.
  settings = { ['autograd-lint'] = { certainty = 'likely' } },
}

if vim.lsp.config then -- Neovim 0.11 and newer
  vim.lsp.config('autograd_lint', config)
  vim.lsp.enable('autograd_lint')
elseif vim.lsp.start then -- Neovim 0.8 to 0.10
  vim.api.nvim_create_autocmd('FileType', {
    pattern = config.filetypes,
    callback = function(event)
      local found = vim.fs.find(config.root_markers, { upward = true, path = vim.fs.dirname(event.file) })
      local root = found[1] and vim.fs.dirname(found[1]) or vim.fn.getcwd()
      vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }))
    end,
  })
else -- Neovim 0.7
  local client
  vim.api.nvim_create_autocmd('FileType', {
    pattern = config.filetypes,
    callback = function(event)
      client = client or vim.lsp.start_client(vim.tbl_extend('force', config, { root_dir = vim.fn.getcwd() }))
      vim.lsp.buf_attach_client(event.buf, client)
    end,
  })
end
