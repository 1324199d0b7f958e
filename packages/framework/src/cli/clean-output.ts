import { createRedactor } from '../link/secrets/log-redact.ts'

/**
 * Takes secrets out of what else the process prints: `console.log` of the bot's code and of the packages that it uses, from its worker
 * threads too. The log does not pass here: it writes by itself.
 */
export const cleanOutput = (secrets: readonly (string | undefined)[]): void => filterOutput(createRedactor(secrets))

/** Passes everything that the process prints through `filter`, the output of its worker threads included. */
export function filterOutput(filter: (text: string) => string): void {
  const cleaned = (chunk: unknown): unknown => {
    if (typeof chunk === 'string') return filter(chunk)
    if (!(chunk instanceof Uint8Array)) return chunk
    const text = Buffer.from(chunk).toString()
    const clean = filter(text)
    return clean === text ? chunk : clean
  }
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean
    stream.write = (chunk: unknown, ...rest: unknown[]) => write(cleaned(chunk), ...rest)
  }
}
