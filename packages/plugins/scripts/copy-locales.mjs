// Copies the translations of each plugin next to its compiled code. Part of `npm run build`.
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
for (const plugin of readdirSync(`${root}src`)) {
  const locales = `${root}src/${plugin}/locales`
  if (existsSync(locales)) cpSync(locales, `${root}dist/${plugin}/locales`, { recursive: true })
}
