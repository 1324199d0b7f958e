import { fileURLToPath } from 'node:url'

/** Where in the bot's own code an error began: `commands/ping.ts:12`. Undefined when no line of the stack is the bot's. */
export function sourceLine(error: unknown, root: string): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined
  if (stack === undefined) return undefined
  const folder = `${root.replace(/[\\/]+$/, '').replaceAll('\\', '/')}/`
  for (const line of stack.split('\n')) {
    const frame = /^\s+at .*?\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+)(?::\d+)?\)?$/.exec(line)
    if (!frame) continue
    const file = pathOf(frame[1] ?? '')
    if (file.startsWith(folder) && !file.includes('/node_modules/'))
      return `${file.slice(folder.length)}:${frame[2] ?? ''}`
  }
  return undefined
}

function pathOf(file: string): string {
  const path = file.startsWith('file://') ? fileURLToPath(file.replace(/\?.*$/, '')) : file
  return path.replaceAll('\\', '/')
}
