import type { Definition } from '@botwright/framework'

/** What `.framework/types.d.ts` is made of. */
export interface TypeFacts {
  definitions: readonly Definition[]
  /** `bot.config.ts`, when it declares an environment. */
  envFile: string | undefined
}

/** The text of `.framework/types.d.ts`: the names of a bot, so that one file can be checked against another. */
export function typesText({ definitions, envFile }: TypeFacts): string {
  const commands = definitions.filter(({ kind }) => kind === 'command').map(({ name }) => `'${name}'`)
  const buttons = definitions.filter(({ kind }) => kind === 'button')
  const lines = [
    '// Written by "framework dev", "check", "build" and "types". What is changed here is lost; it belongs into no repository.',
    `import type { ${envFile === undefined ? 'NoEnvInBotConfig' : 'EnvOf'} } from '@botwright/framework'`,
    '',
    "declare module '@botwright/framework' {",
    '  interface Register {',
    `    commands: ${commands.length > 0 ? [...new Set(commands)].sort().join(' | ') : 'never'}`,
    '    buttons: {',
    ...buttons.map(({ name, params }) => `      '${name}': ${paramsText(params)}`).sort(),
    '    }',
    `    env: ${envFile === undefined ? 'NoEnvInBotConfig' : `EnvOf<typeof import('../${moduleOf(envFile)}')>`}`,
    '  }',
    '}',
    '',
  ]
  return lines.join('\n')
}

function paramsText(params: Definition['params']): string {
  if (!params) return 'null'
  const fields = Object.entries(params).map(([name, type]) => {
    const [, bare = '', mark = ''] = /^(.*?)(\?)?$/.exec(name) ?? []
    return `${/^[\w$]+$/.test(bare) ? bare : JSON.stringify(bare)}${mark}: ${type}${mark ? ' | undefined' : ''}`
  })
  return `{ ${fields.join('; ')} }`
}

/** As its module is called once it is compiled: an ending that every setting of the compiler takes. */
const moduleOf = (file: string): string => file.replace(/\.(m?)ts$/, '.$1js')
