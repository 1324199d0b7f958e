// Loaded with --import into a bot's program. Acts like the debugger of an editor: attaches to the workers, sets a breakpoint in
// commands/ping, prints the author's file and line of a paused thread to standard error, and resumes it.
import { readFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { SourceMap } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const session = new inspector.Session()
  session.connect()
  let lastId = 0
  const post = (sessionId, method, params = {}) =>
    session.post('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id: ++lastId, method, params }),
    })
  /** Data of each script, by worker and id. */
  const scripts = new Map()

  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    post(sessionId, 'Debugger.enable')
    // A handler may run as soon as its file is loaded, so set breakpoints before that.
    post(sessionId, 'Debugger.setInstrumentationBreakpoint', { instrumentation: 'beforeScriptWithSourceMapExecution' })
  })
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    const { method, params } = JSON.parse(message)
    if (method === 'Debugger.scriptParsed' && /\/commands\/ping\./.test(params.url)) {
      const { scriptId, url, sourceMapURL } = params
      scripts.set(`${sessionId} ${scriptId}`, { url, map: readMap(url, sourceMapURL) })
      const before = /^[^]*?run: ?\(?\w+\)? ?=> ?/.exec(readFileSync(fileURLToPath(url), 'utf8'))[0].split('\n')
      const location = { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1).length }
      post(sessionId, 'Debugger.setBreakpoint', { location })
    }
    if (method === 'Debugger.paused') {
      if (params.reason !== 'instrumentation') tell(sessionId, params.callFrames[0].location)
      post(sessionId, 'Debugger.resume')
    }
  })

  function tell(sessionId, { scriptId, lineNumber, columnNumber }) {
    const { url, map } = scripts.get(`${sessionId} ${scriptId}`)
    const { originalSource, originalLine } = map.findEntry(lineNumber, columnNumber)
    const file = path.relative(process.cwd(), fileURLToPath(new URL(originalSource, url)))
    process.stderr.write(`stopped at ${file}:${originalLine + 1}\n`)
  }

  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })

  function readMap(url, sourceMapURL) {
    const inline = /^data:.*?base64,/.exec(sourceMapURL)
    const text = inline
      ? Buffer.from(sourceMapURL.slice(inline[0].length), 'base64').toString()
      : readFileSync(new URL(sourceMapURL, url), 'utf8')
    return new SourceMap(JSON.parse(text))
  }
}
