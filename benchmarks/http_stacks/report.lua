-- What wrk saw, as one line of JSON.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"requests":%d,"seconds":%f,"p50":%f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e6,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
