import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { Container } from './container.test.fixture.ts'

/** The image of a Dockerfile: the last stage's working directory on this machine, and its settings for running. */
export interface Image {
  bot: string
  workdir: string
  env: Record<string, string>
  user: string
  volumes: string[]
  health: string[]
  command: string[]
}

interface Stage extends Image {
  name: string
}

/** The services that COPY and RUN need. */
interface Build {
  context: string
  ignored: ReadonlySet<string>
  stages: Stage[]
  stage: Stage
}

/** Each instruction by its name. An unknown one is an error, so that none is skipped silently. */
const instructions: Record<string, (build: Build, text: string) => void | Promise<void>> = {
  ENV({ stage }, text) {
    for (const pair of text.split(' ')) stage.env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1)
  },
  WORKDIR: ({ stage }, text) => void (stage.workdir = text),
  USER: ({ stage }, text) => void (stage.user = text),
  VOLUME: ({ stage }, text) => void stage.volumes.push(text),
  CMD: ({ stage }, text) => void (stage.command = JSON.parse(text) as string[]),
  HEALTHCHECK: ({ stage }, text) => void (stage.health = JSON.parse(text.slice(text.indexOf('CMD ') + 4)) as string[]),
  async COPY({ context, ignored, stages, stage }, text) {
    const words = text.split(' ')
    const [, from] = /^--from=(.+)$/.exec(words[0]!) ?? []
    const origin = from === undefined ? undefined : stages.find(({ name }) => name === from)!
    const places = words.slice(origin ? 1 : 0)
    const into = places.pop()!
    for (const place of places) {
      const source = origin ? join(origin.bot, relative(origin.workdir, place)) : join(context, place)
      const isFile = (await stat(source)).isFile()
      await cp(source, join(stage.bot, into, isFile ? basename(place) : ''), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => origin !== undefined || !ignored.has(relative(context, path)),
      })
    }
  },
  async RUN({ stage: { bot, workdir, env } }, text) {
    await using container = await Container.run({ bot, workdir, env }, ['sh', '-c', text])
    const code = await container.ended
    if (code !== 0) throw new Error(`RUN ${text} ended with ${code}: ${container.output}`)
  },
}

/**
 * Builds the last stage of a Dockerfile in `folder`, line by line: every COPY copies and every RUN runs, in its own root. The image
 * `node:24-alpine` is this machine's system with Node 24.
 */
export async function buildImage(folder: string, context: string, dockerfile: string): Promise<Image> {
  const ignored = new Set((await readFile(join(context, '.dockerignore'), 'utf8')).split('\n').filter(Boolean))
  const stages: Stage[] = []
  const lines = dockerfile.replaceAll(/\\\n\s*/g, '').split('\n')
  for (const line of lines.filter((one) => /^[^#\s]/.test(one))) {
    const [, word = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    if (word === 'FROM') {
      const [, name = 'last'] = /^node:24-alpine(?: AS (\w+))?$/.exec(text) ?? []
      const bot = join(folder, name)
      await mkdir(bot, { recursive: true })
      stages.push({ name, bot, workdir: '/', env: {}, user: 'root', volumes: [], health: [], command: [] })
    } else await instructions[word]!({ context, ignored, stages, stage: stages.at(-1)! }, text)
  }
  return stages.at(-1)!
}
