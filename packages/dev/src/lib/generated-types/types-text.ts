import type { Definition } from '@botwright/framework'

/** The contents of `.framework/types.d.ts`. */
export interface TypeFacts {
  definitions: readonly Definition[]
  /** `bot.config.ts`, if it declares an environment. */
  envFile: string | undefined
  /** Members that plugins add. */
  more?: readonly string[]
}

/** The text of `.framework/types.d.ts`: the names of a bot, so that one file can be checked against another. */
export function typesText({ definitions, envFile, more = [] }: TypeFacts): string {
  const commands = definitions.filter(({ kind }) => kind === 'command')
  const buttons = definitions.filter(({ kind }) => kind === 'button')
  // A plugin's states and tasks belong to its own files.
  const states = definitions.filter(({ kind, plugin }) => kind === 'state' && plugin === undefined)
  const tasks = definitions.filter(({ kind, plugin }) => kind === 'task' && plugin === undefined)
  const lines = [
    '// Written by "framework dev", "check", "build" and "types". Changes here are overwritten; do not commit this file.',
    `import type { ${envFile === undefined ? 'NoEnvInBotConfig' : 'EnvOf'} } from '@botwright/framework'`,
    '',
    "declare module '@botwright/framework' {",
    '  interface Register {',
    `    commands: ${union(commands)}`,
    `    buttonNames: ${union(buttons)}`,
    '    buttons: {',
    ...buttons.map(({ name, params }) => `      '${name}': ${paramsText(params)}`).sort(),
    '    }',
    '    states: {',
    ...exportsOf(states),
    '    }',
    `    taskNames: ${union(tasks)}`,
    '    tasks: {',
    ...exportsOf(tasks),
    '    }',
    `    env: ${envFile === undefined ? 'NoEnvInBotConfig' : `EnvOf<typeof import('../${moduleOf(envFile)}')>`}`,
    ...more.flatMap((text) => text.split('\n').map((line) => `    ${line}`)),
    '  }',
    '}',
    '',
  ]
  return lines.join('\n')
}

/** The default exports of files, by their names. */
const exportsOf = (definitions: readonly Definition[]): string[] =>
  definitions.map(({ name, file }) => `      '${name}': typeof import('../${moduleOf(file)}').default`).sort()

/** Names as the compiler shows them if another one is used. */
const union = (definitions: readonly Definition[]): string =>
  definitions.length === 0
    ? 'never'
    : definitions
        .map(({ name }) => `'${name}'`)
        .sort()
        .join(' | ')

function paramsText(params: Definition['params']): string {
  if (!params) return 'null'
  const fields = Object.entries(params).map(([name, type]) => {
    const [, bare = '', mark = ''] = /^(.*?)(\?)?$/.exec(name) ?? []
    return `${/^[A-Za-z_$][\w$]*$/.test(bare) ? bare : JSON.stringify(bare)}${mark}: ${type}${mark ? ' | undefined' : ''}`
  })
  return `{ ${fields.join('; ')} }`
}

/** The name of its compiled module: an extension that every compiler setting accepts. */
const moduleOf = (file: string): string => file.replace(/\.(m?)ts$/, '.$1js')
