-- A session in Neovim, told line by line: open a file, see the diagnostic, apply the code action.

local function say(...)
  io.stdout:write(table.concat({ ... }, ' '), '\n')
end

local function wait_for(what, condition)
  if not vim.wait(60000, condition, 20) then
    say('waited in vain for', what)
    vim.cmd('cquit 1')
  end
end

local function shown()
  return vim.diagnostic.get(0)
end

vim.cmd('edit ' .. os.getenv('OPENED'))
say('opened', vim.fn.expand('%:t'), 'as', vim.bo.filetype)

wait_for('a diagnostic', function() return #shown() > 0 end)
for _, found in ipairs(shown()) do
  say('diagnostic', ('%d:%d-%d'):format(found.lnum, found.col, found.end_col), found.source, vim.split(found.message, '\n')[1])
end

local found = shown()[1]
vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })

vim.lsp.buf.hover()
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return window end
  end
end
wait_for('the hover', floating)
say('hover', vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(floating()), 0, 1, false)[1])
vim.api.nvim_win_close(floating(), true)

vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    say('offered', (options.format_item(item)))
  end
  choose(items[1])
end
local before = vim.api.nvim_buf_get_changedtick(0)
vim.lsp.buf.code_action()
wait_for('the edit', function() return vim.api.nvim_buf_get_changedtick(0) > before end)
say('buffer', vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, false)[1])

wait_for('the diagnostic to go', function() return #shown() == 0 end)
say('clean', 'and on disk as it was:', vim.fn.readfile(vim.fn.expand('%'))[found.lnum + 1])

local clients = vim.lsp.get_active_clients()
vim.lsp.stop_client(clients)
wait_for('the server to end', function() return #vim.lsp.get_active_clients() == 0 end)
say('ended')
vim.cmd('qall!')
