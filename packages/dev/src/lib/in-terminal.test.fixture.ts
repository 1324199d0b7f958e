import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { program } from './program.test.fixture.ts'

/**
 * Runs the program in a pseudo-terminal, which `script` of util-linux opens. The shell of `script` must exec it: a shell that waits for
 * it gets the SIGINT of Ctrl-C too, and some shells then exit with 130 whatever the program returned.
 */
export function inTerminal(cwd: string, args: string) {
  const child = spawn('script', ['-qfec', `exec "${process.execPath}" "${program}" ${args}`, '/dev/null'], {
    cwd,
    env: { ...process.env, BOT_TOKEN: '', NO_COLOR: '1', TERM: 'xterm' },
  })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString().replaceAll('\r', '')))
  return { child, ended: once(child, 'exit'), output: () => output, type: (text: string) => child.stdin.write(text) }
}
