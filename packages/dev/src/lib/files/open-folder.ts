import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { handlerFolders } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { listBotFiles } from './bot-files.ts'
import { configFiles } from './bot-folder.ts'

/** The folder in which a command was started. Rejects with `ERR_CONFIG` if it does not exist, or is part of a bot. */
export async function openBotFolder(folder: string): Promise<{ root: string; files: Set<string> }> {
  const path = resolve(folder)
  if (!existsSync(path)) throw new BotwrightError('ERR_CONFIG', `there is no folder ${path}`)
  if (!statSync(path).isDirectory()) throw new BotwrightError('ERR_CONFIG', `${path} is a file: pass the bot's folder`)
  // The compiler names files by their real location, whatever links lead there.
  const root = realpathSync(path)
  const whole = botAround(root)
  if (whole !== undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${root} is part of the bot in ${whole}: use that folder (cd ${relative(root, whole)})`,
    )
  return { root, files: new Set(await listBotFiles(root)) }
}

/** The bot that contains a folder, such as its `commands/`: run there, a bot would have half of its files. */
function botAround(root: string): string | undefined {
  let whole = root
  while (!existsSync(join(whole, 'package.json'))) {
    const above = dirname(whole)
    if (above === whole) return undefined
    whole = above
  }
  if (whole === root || !looksLikeBot(whole)) return undefined
  const [first = '', second = ''] = relative(whole, root).split(sep)
  const isHandlers = handlerFolders.includes(first === 'src' ? second : first) || (first === 'src' && second === '')
  // A bot in the tests of a plugin has no package.json, but is complete.
  return isHandlers || !looksLikeBot(root) ? whole : undefined
}

const looksLikeBot = (folder: string): boolean =>
  [folder, join(folder, 'src')].some((one) =>
    [...handlerFolders, ...configFiles].some((name) => existsSync(join(one, name))),
  )
