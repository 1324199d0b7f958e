import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { API_FILE, apiReports } from './lib/api/api-report.ts'
import { releasedPackages } from './lib/publishing/released.ts'

// `npm run api`: writes the API report of each package into its folder, from the built declarations.
const root = fileURLToPath(new URL('../../../', import.meta.url))
for (const [folder, text] of apiReports(root, await releasedPackages(root))) {
  const file = join(folder, API_FILE)
  const before = await readFile(join(root, file), 'utf8').catch(() => '')
  if (before === text) continue
  await writeFile(join(root, file), text)
  console.log(`wrote ${file}`)
}
