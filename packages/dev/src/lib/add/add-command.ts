import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { placeFile } from './place-file.ts'
import { templates, type AddKind } from './templates.ts'
import { openBotFolder } from '../files/open-folder.ts'
import { createTerminal } from '../terminal/terminal.ts'

/** `framework add`: writes one file that works at once. Overwrites nothing. */
export async function runAdd(options: {
  io: ProgramIo
  kind: AddKind
  name: string
  params: boolean
}): Promise<number> {
  const { io, kind, params } = options
  const { root, files } = await openBotFolder(io.cwd)
  const { file, name } = placeFile(kind, options.name, files)
  const isPart = kind === 'event' && !file.includes(`/${name}.`)
  await mkdir(dirname(join(root, file)), { recursive: true })
  try {
    await writeFile(join(root, file), templates[kind]({ name, params, isPart }), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      // A partial file would break the bot, and block the next attempt.
      await rm(join(root, file), { force: true })
      throw error
    }
    throw new BotwrightError('ERR_CONFLICT', `${file} already exists: nothing was written`)
  }
  const { colors, print } = createTerminal(io)
  print(`${colors.green('✓')} ${colors.bold(file)}  ${colors.dim(meaningOf(kind, name))}`)
  return 0
}

function meaningOf(kind: AddKind, name: string): string {
  switch (kind) {
    case 'command':
      return `runs on /${name} and !${name}`
    case 'button':
      return `runs on clicks on ctx.button('${name}', …)`
    case 'pages':
      return 'a list that people turn with ◀ and ▶; show it from a command with .first(ctx)'
    case 'event':
      return `runs on ${name}`
    case 'task':
      return 'runs every day at 9:00; change its cron'
    case 'route':
      return `runs on ${name}`
    case 'state':
      return 'stores a number for each user; change its scope and its values'
    case 'resource':
      return 'opens before the first handler runs; open a database or a client in it, and close it'
    case 'middleware':
      return `runs around every handler ${name === '' ? 'of the bot' : `in ${name}/`}`
  }
}
