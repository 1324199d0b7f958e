import * as prompts from '@clack/prompts'
import pc from 'picocolors'
import { ScaffoldError } from './scaffold-error.ts'
import { checkTarget } from './target.ts'
import { templateFacts, type Home } from './templates.ts'
import type { Linter } from './tooling.ts'

/** The user pressed Ctrl-C at a question. */
export class Cancelled extends Error {}

const answered = <T>(value: T): Exclude<T, symbol> => {
  if (prompts.isCancel(value)) throw new Cancelled('cancelled with Ctrl-C')
  return value as Exclude<T, symbol>
}

/** Asks for the folder until the answer is one that can be created. */
export async function askFolder(cwd: string): Promise<string> {
  const validate = (text: string | undefined) => {
    try {
      checkTarget(text || 'my-bot', cwd)
      return undefined
    } catch (error) {
      if (error instanceof ScaffoldError) return error.message
      throw error
    }
  }
  const suggested = { placeholder: 'my-bot', defaultValue: 'my-bot' }
  return answered(await prompts.text({ message: 'Where do you want to create the bot?', ...suggested, validate }))
}

export async function askTemplate(home: Home): Promise<string> {
  const templates = templateFacts(home)
  const width = Math.max(...templates.map(({ name }) => name.length))
  const options = templates.map(({ name, description }) => ({
    value: name,
    label: `${name.padEnd(width)}  ${pc.dim(description)}`,
  }))
  return answered(
    await prompts.select({ message: 'Which template do you want to use?', options, initialValue: 'basic' }),
  )
}

export async function askLinter(): Promise<Linter> {
  const options: { value: Linter; label: string }[] = [
    { value: 'oxlint', label: `oxlint and oxfmt     ${pc.dim('fast; two packages')}` },
    { value: 'eslint', label: `ESLint and Prettier  ${pc.dim('rules that know types; many plugins')}` },
    { value: 'none', label: `none                 ${pc.dim('framework check is enough')}` },
  ]
  return answered(
    await prompts.select({
      message: 'What should lint and format the code?',
      options,
      initialValue: 'oxlint',
    }),
  )
}

export async function askInstall(packageManager: string): Promise<boolean> {
  return answered(await prompts.confirm({ message: `Install packages with ${packageManager}?` }))
}
