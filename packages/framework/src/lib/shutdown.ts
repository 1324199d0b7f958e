/** Calls `stop` at the first SIGTERM or SIGINT, and `force` at the second. Returns what takes the handlers off again. */
export function onShutdown(
  stop: (signal: NodeJS.Signals) => void,
  force: (signal: NodeJS.Signals) => void,
): () => void {
  let first = true
  const handle = (signal: NodeJS.Signals) => {
    if (!first) return force(signal)
    first = false
    stop(signal)
  }
  process.on('SIGTERM', handle)
  process.on('SIGINT', handle)
  return () => {
    process.off('SIGTERM', handle)
    process.off('SIGINT', handle)
  }
}
