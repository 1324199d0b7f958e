import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where create-bot itself stands, and whether that is a checkout of the whole project. */
export interface Home {
  /** The folder with one folder for each template. */
  templates: string
  /** What a coding agent needs to know of the framework: goes into every bot as AGENTS.md. */
  agents: string
  /** The checkout's root, whose packages a new bot is linked to; undefined in a published package. */
  checkout: string | undefined
}

/** Finds the templates: beside the packages in a checkout, inside the package once published. */
export function findHome(): Home {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  if (existsSync(`${root}packages/framework/package.json`) && existsSync(`${root}templates`)) {
    return {
      templates: `${root}templates`,
      // The documentation's own file: there is no second one.
      agents: `${root}packages/site/docs/public/AGENTS.md`,
      checkout: root,
    }
  }
  const templates = fileURLToPath(new URL('../../templates', import.meta.url))
  return { templates, agents: path.join(templates, 'AGENTS.md'), checkout: undefined }
}

/** The names of the templates, found by listing the folder; the one to begin with stands first. */
export const templateNames = (home: Home): string[] =>
  readdirSync(home.templates, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort((a, b) => (a === 'basic' ? -1 : b === 'basic' ? 1 : a < b ? -1 : 1))

/** The templates with what each is for, as their package.json tells it. */
export const templateFacts = (home: Home): { name: string; description: string }[] =>
  templateNames(home).map((name) => {
    const text = readFileSync(path.join(home.templates, name, 'package.json'), 'utf8')
    return { name, description: (JSON.parse(text) as { description?: string }).description ?? '' }
  })
