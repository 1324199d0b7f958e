import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The location of create-bot, and whether it is a checkout of the project. */
export interface Home {
  /** The folder that contains one folder per template. */
  templates: string
  /** The instructions for coding agents, which every bot gets as AGENTS.md. */
  agents: string
  /** The root of the checkout, whose packages a new bot uses; undefined in the published package. */
  checkout: string | undefined
}

/** Finds the templates: next to the packages in a checkout, inside the published package otherwise. */
export function findHome(): Home {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  if (existsSync(`${root}packages/framework/package.json`) && existsSync(`${root}templates`)) {
    return {
      templates: `${root}templates`,
      // The file of the documentation; there is no copy in the checkout.
      agents: `${root}packages/site/docs/public/AGENTS.md`,
      checkout: root,
    }
  }
  const templates = fileURLToPath(new URL('../../templates', import.meta.url))
  return { templates, agents: path.join(templates, 'AGENTS.md'), checkout: undefined }
}

/** The names of the templates, found by listing the folder; `basic` comes first. */
export const templateNames = (home: Home): string[] =>
  readdirSync(home.templates, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort((a, b) => (a === 'basic' ? -1 : b === 'basic' ? 1 : a < b ? -1 : 1))

/** The templates with the descriptions from their package.json. */
export const templateFacts = (home: Home): { name: string; description: string }[] =>
  templateNames(home).map((name) => {
    const text = readFileSync(path.join(home.templates, name, 'package.json'), 'utf8')
    return { name, description: (JSON.parse(text) as { description?: string }).description ?? '' }
  })
