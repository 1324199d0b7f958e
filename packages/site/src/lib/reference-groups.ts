import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The packages whose public names have a page, with their purpose. Internal tools have none. */
export const documented: readonly string[] = [
  ...[
    'framework',
    'testing',
    'languages',
    'plugins',
    'cluster',
    'dev',
    'rest',
    'events',
    'protocol',
    'service',
    'clock',
    'sqlite',
  ],
]

/** The subjects of @botwright/framework, by the file or folder below `author` and `bot`; everything else belongs to the bot as a whole. */
const subjects: Readonly<Record<string, string>> = {
  command: 'Commands',
  commands: 'Commands',
  args: 'Arguments',
  buttons: 'Buttons and messages',
  params: 'Buttons and messages',
  button: 'Buttons and messages',
  outgoing: 'Buttons and messages',
  event: 'Events',
  context: 'Contexts',
  guards: 'Guards and middleware',
  'passed-cooldowns': 'Guards and middleware',
  middleware: 'Guards and middleware',
  state: 'State',
  'ask-options': 'Conversations',
  task: 'Tasks',
  tasks: 'Tasks',
  sending: 'Sending',
  'channel-webhook': 'Sending',
  plugins: 'Plugins',
  'env-schema': 'Environment',
}
const REST = 'The bot as a whole'
export const subjectOrder = [...new Set(Object.values(subjects)), REST]

const EXPORT = /export (?:type )?(?:\{(?<names>[^}]*)\}|\*) from '(?<path>[^']+)'/g

/** The subject of each name that an entry file exports itself, by the folder of its source. */
export async function subjectsOf(root: string, entry: string): Promise<(name: string) => string> {
  const text = await readFile(join(root, entry), 'utf8')
  const found = new Map<string, string>()
  for (const { groups } of text.matchAll(EXPORT)) {
    const path = groups!['path']!
    const folder = /^\.\/(?:author|bot)\/(?<folder>[\w-]+)/.exec(path)?.groups?.['folder'] ?? ''
    const subject = path.includes('protocol') ? 'Buttons and messages' : subjects[folder]
    for (const name of groups!['names']?.split(',') ?? []) {
      const own = name
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, '')
      if (own !== '' && subject !== undefined) found.set(own, subject)
    }
  }
  const whole = new Set(['BotwrightError', 'ErrorCode'])
  return (name) => (whole.has(name) ? REST : (found.get(name) ?? REST))
}
