import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const template = fileURLToPath(new URL('../../../../templates/full/', import.meta.url))

/** What a file of each folder stands for. */
const meanings = {
  commands: (name) => `/${name.replaceAll('/', ' ')}`,
  buttons: () => 'a click',
  events: (name) => name,
  state: () => 'what is kept',
  tasks: () => 'by itself',
}

/** The files of a bot, as the template has them, each with what it stands for. */
export default {
  watch: [`${template}**/*.ts`],
  load: () =>
    Object.entries(meanings).map(([folder, meaning]) => ({
      folder,
      files: readdirSync(template + folder, { recursive: true })
        .map((path) => path.replaceAll('\\', '/'))
        .filter((path) => path.endsWith('.ts') && !path.endsWith('middleware.ts'))
        .sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b))
        .map((path) => ({ path, meaning: meaning(path.slice(0, -'.ts'.length)) })),
    })),
}
