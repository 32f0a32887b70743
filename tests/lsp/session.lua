-- What a person does in Neovim with a manifest that deadlocks, and what Neovim shows; for Neovim 0.7 and later.
-- KUBELINT_GPU_SERVER is the command as a JSON list, KUBELINT_GPU_TRANSCRIPT the file to write, the argument the manifest.
local out = {}
local function say(...)
  for _, text in ipairs({ ... }) do
    table.insert(out, text)
  end
end
local function finish(code)
  local file = assert(io.open(os.getenv("KUBELINT_GPU_TRANSCRIPT"), "w"))
  file:write(table.concat(out, "\n") .. "\n")
  file:close()
  vim.cmd(code == 0 and "qall!" or "cquit!")
end
local function need(what, condition)
  if not vim.wait(30000, condition, 20) then
    say("FAILED: " .. what)
    finish(1)
  end
end
local severities = { "error", "warning", "information", "hint" }

local function diagnostics()
  local found = vim.diagnostic.get(0)
  table.sort(found, function(one, other)
    return one.lnum < other.lnum
  end)
  for _, one in ipairs(found) do
    say(string.format("  %d:%d %s %s: %s", one.lnum + 1, one.col + 1, severities[one.severity], one.code, one.message))
  end
  if #found == 0 then
    say("  none")
  end
end
local function has(code)
  for _, one in ipairs(vim.diagnostic.get(0)) do
    if one.code == code then
      return true
    end
  end
  return false
end

local function action(pattern)
  vim.ui.select = function(items, options, choose)
    for _, item in ipairs(items) do
      local title = options.format_item(item)
      say("  " .. (title:match(pattern) and "> " or "  ") .. title)
    end
    for _, item in ipairs(items) do
      if options.format_item(item):match(pattern) then
        return choose(item)
      end
    end
    say("FAILED: no action " .. pattern)
    finish(1)
  end
  vim.lsp.buf.code_action()
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end
local function hover()
  vim.lsp.buf.hover()
  need("a hover", floating)
  local window = floating()
  for _, line in ipairs(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)) do
    say(line == "" and "" or "  " .. line)
  end
  vim.api.nvim_win_close(window, true)
end
local function complete()
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  local answers = vim.lsp.buf_request_sync(0, "textDocument/completion", params, 30000)
  for _, answer in pairs(answers or {}) do
    for _, item in ipairs(answer.result.items) do
      say("  " .. item.label .. "  " .. (item.detail or ""))
    end
  end
end

vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("KUBELINT_GPU_MANIFEST")))
vim.bo.filetype = "yaml"
local folder = vim.fn.getcwd()
local client = vim.lsp.start_client({
  name = "kubelint-gpu",
  cmd = vim.fn.json_decode(os.getenv("KUBELINT_GPU_SERVER")),
  root_dir = folder,
  workspace_folders = { { uri = vim.uri_from_fname(folder), name = "vision" } },
})
vim.lsp.buf_attach_client(0, client)

need("a diagnostic", function() return has("KLG101") end)
say("Diagnostics of tracker.yaml:")
diagnostics()

vim.api.nvim_win_set_cursor(0, { 2, 2 })
say("", "Hover on kind: Deployment:")
hover()

local last = vim.api.nvim_buf_line_count(0)
for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, last, false)) do
  if line:match("kubernetes.io/hostname:") then
    vim.api.nvim_win_set_cursor(0, { number, #(line:match("^.*: ")) })
    say("", "Completion behind kubernetes.io/hostname:")
    complete()
    vim.api.nvim_win_set_cursor(0, { number, 10 })
    say("", "Hover on kubernetes.io/hostname:")
    hover()
  end
end

vim.api.nvim_win_set_cursor(0, { 8, 0 })
say("", "Code actions at spec:")
action("maxSurge")
need("the fix", function()
  return vim.fn.search("maxSurge: 0", "nw") > 0
end)
need("no deadlock", function() return not has("KLG101") end)
say("", "Diagnostics after the fix:")
diagnostics()

vim.cmd("undo")
need("the deadlock again", function() return has("KLG101") end)
vim.api.nvim_win_set_cursor(0, { 8, 0 })
say("", "The fix undone, code actions at spec:")
action("ignore here")
need("the comment", function()
  return vim.fn.search("kubelint-gpu: ignore\\[KLG101\\]", "nw") > 0
end)
need("no deadlock", function() return not has("KLG101") end)
say("", "Diagnostics after 'ignore here':")
diagnostics()
vim.lsp.stop_client(client)
need("the end of the server", function() return vim.lsp.client_is_stopped(client) end)
finish(0)
