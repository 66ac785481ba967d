-- The load that wrk puts on a server: arguments are the operation (create, get, patch or fill), a prefix of names, a
-- number and a file with a body. The token comes from the environment.
local pods = "/api/v1/namespaces/default/pods"
local operation, prefix, number, before, after
local sent, answered = -1, 0
local headers = {}

function init(args)
  operation, prefix, number = args[1], args[2], tonumber(args[3])
  local file = assert(io.open(args[4]))
  before, after = file:read("*a"):match("^(.*)POD%-NAME(.*)$")
  file:close()
  headers["Authorization"] = "Bearer " .. (os.getenv("BENCH_TOKEN") or "none")
  headers["Content-Type"] = operation == "patch" and "application/merge-patch+json" or "application/json"
  if operation ~= "fill" then response = nil end
end

-- create: new names for ever. fill: `number` new names, then idle reads until it is ended.
-- get, patch: the `number` names that a fill with the same prefix made, one after the other.
function request()
  sent = sent + 1
  if sent == 0 then return wrk.format("GET", "/readyz") end -- wrk's own look at the script: never sent
  if operation == "create" or (operation == "fill" and sent <= number) then
    return wrk.format("POST", pods, headers, before .. prefix .. sent .. after)
  elseif operation == "fill" then
    return wrk.format("GET", "/readyz", headers)
  end
  local path = pods .. "/" .. prefix .. (sent % number + 1)
  if operation == "get" then return wrk.format("GET", path, headers) end
  local patch = '{"metadata":{"labels":{"step":"s' .. sent .. '"}}}'
  return wrk.format("PATCH", path, headers, patch)
end

function response(status)
  if status == 201 then answered = answered + 1 end
  if answered == number then
    io.write("filled\n") -- who started wrk ends it: it knows only times, not numbers
    io.flush()
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e6, latency:percentile(99) / 1e6,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
