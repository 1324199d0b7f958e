import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { DevReport } from './dev-report.ts'

/** The effects of the keys of `framework dev`. */
export interface KeyActions {
  /** The page of the chat; undefined with `--real`. */
  page: string | undefined
  reload: () => Promise<void>
  clear: () => void
  quit: () => void
}

type Key = readonly [key: string, what: string, act: () => unknown]

/** Reads the keys h, o, r, c and q, each followed by Enter, so that Ctrl-C and text selection work as usual. Reads until it is disposed. */
export function readKeys(input: NodeJS.ReadableStream, report: DevReport, actions: KeyActions): Disposable {
  const { page, reload, clear, quit } = actions
  const keys: readonly Key[] = [
    ['r', 'restart the bot', reload],
    ...(page === undefined ? [] : [['o', 'open the chat in the browser', () => openInBrowser(page, report)] as const]),
    ['c', 'clear the terminal', clear],
    ['q', 'quit', quit],
    ['h', 'show this help', () => report.keys(keys)],
  ]
  const lines = createInterface({ input })
  lines.on('line', (line) => {
    const typed = line.trim().toLowerCase()
    void keys.find(([key]) => key === typed)?.[2]()
  })
  return { [Symbol.dispose]: () => lines.close() }
}

/** Without a browser, as on a server, the address is printed. */
function openInBrowser(page: string, report: DevReport): void {
  const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }
  const program = programs[process.platform] ?? 'xdg-open'
  const child = spawn(program, [page], { stdio: 'ignore', detached: true })
  const failed = () => report.warning(`the browser cannot be opened (${program} failed): open ${page}`)
  child.once('error', failed)
  // Explorer exits with 1 after it has opened a page.
  child.once('exit', (code) => code !== 0 && program !== 'explorer' && failed())
  child.unref()
}
