// Writes the command that creates a bot into all pages, as first-command.json has it. Run it after the compiler.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pagesWithCommands, withFirstCommand } from '../dist/lib/first-command.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
for (const page of pagesWithCommands(root)) {
  const text = readFileSync(page, 'utf8')
  const written = withFirstCommand(text)
  if (written !== text) writeFileSync(page, written)
}
