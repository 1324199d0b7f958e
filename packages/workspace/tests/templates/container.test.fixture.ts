import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { otherNode } from '../../src/lib/publishing/tools.ts'

// A container without Docker: its own root folder, its own process 1, and a user without privileges.

/** The user of the image `node`. */
const NODE_USER = 1000

/** The environment of a program. */
export interface Surroundings {
  /** The image's working directory, on this machine. */
  bot: string
  /** Its path in the container. */
  workdir: string
  env: Readonly<Record<string, string>>
  /** Folders of this machine by their path in the container. */
  volumes?: Readonly<Record<string, string>>
  /** As `user: node`, `read_only: true`, `tmpfs: /tmp`, `cap_drop: [ALL]` and `no-new-privileges` in compose.yaml; otherwise root with write access. */
  locked?: boolean
}

/** The reason why this machine cannot run containers; undefined if it can. */
export function whyNoContainer(): string | undefined {
  if (process.platform !== 'linux') return 'namespaces are a matter of Linux'
  if (process.getuid?.() !== 0) return 'only root makes namespaces'
  if (!otherNode(24)) return 'Node 24 is not installed; run `node packages/workspace/bin/tools.mjs`'
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'pipe' })
    execFileSync('sh', ['-c', 'command -v setpriv nsenter chroot wget'], { stdio: 'pipe' })
  } catch (error) {
    return `unshare, setpriv, nsenter, chroot and wget are needed: ${(error as Error).message}`
  }
  return undefined
}

/** This machine's settings of npm: its cache, without which a container would download every package again, its registry and certificates. */
interface NpmSettings {
  cache: string
  registry: string
  cafile: string | null
}
let npm: NpmSettings | undefined
function npmSettings(): NpmSettings {
  if (npm) return npm
  const text = execFileSync('npm', ['config', 'list', '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (npm = JSON.parse(text) as NpmSettings)
}

/** Creates the root, then executes the program as process 1, for which no signal has a default action. */
const enter = `set -eu
root=$1 bot=$2 workdir=$3 node=$4 npm=$5 users=$6 locked=$7; shift 7
mount -t tmpfs -o mode=755 none "$root"
cd "$root"
mkdir -p usr etc run proc dev tmp root npm/cache opt/node opt/npm "./$workdir"
for top in usr bin sbin lib lib32 lib64 libx32 etc run opt/npm; do
  from=/$top; [ $top = opt/npm ] && from=$npm
  if [ -L /$top ]; then cp -P /$top $top; continue; fi
  [ -d $from ] || continue
  mkdir -p $top; mount --bind -o ro $from $top
done
for file in passwd group; do mount --bind -o ro "$users/$file" etc/$file; done
mount -t tmpfs -o mode=755 none dev
mknod -m 666 dev/null c 1 3; mknod -m 666 dev/zero c 1 5; mknod -m 666 dev/random c 1 8; mknod -m 666 dev/urandom c 1 9
mount -t proc none proc
mount -t tmpfs -o mode=1777 none tmp
mount --bind "$node" opt/node
mount --bind "$bot" "./$workdir"
while [ "$1" != -- ]; do mount --bind "$1" "./$2"; shift 2; done; shift
if [ "$locked" = yes ]; then
  mount -o remount,bind,ro "./$workdir"
  mount -o remount,ro "$root"
fi
exec chroot "$root" env -C "$workdir" "$@"`

const unprivileged = [
  ...['setpriv', `--reuid=${NODE_USER}`, `--regid=${NODE_USER}`, '--clear-groups'],
  ...['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
]

/** A program running in a container. */
export class Container implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #root: string
  readonly #locked: boolean
  readonly #workdir: string
  readonly #env: NodeJS.ProcessEnv
  readonly #ended: Promise<number | string | null>
  #output = ''

  private constructor(
    root: string,
    { bot, workdir, env, volumes = {}, locked = false }: Surroundings,
    command: string[],
  ) {
    this.#root = root
    this.#locked = locked
    this.#workdir = workdir
    this.#env = {
      HOME: locked ? '/home/node' : '/root',
      PATH: '/opt/node:/opt/npm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      NO_COLOR: '1',
      ...(!locked && {
        npm_config_cache: '/npm/cache',
        npm_config_registry: npmSettings().registry,
        npm_config_cafile: npmSettings().cafile ?? '',
        npm_config_prefer_offline: 'true',
      }),
      ...env,
    }
    const folders = { ...volumes, ...(!locked && { '/npm/cache': npmSettings().cache }) }
    const prefix = join(process.execPath, '../..')
    const node = dirname(otherNode(24)!)
    const args = [join(root, 'root'), bot, workdir, node, prefix, root, locked ? 'yes' : 'no']
    const mounts = Object.entries(folders).flatMap(([at, from]) => [from, at])
    this.#child = spawn(
      'unshare',
      [
        ...['--mount', '--propagation=private', '--pid', '--fork', 'sh', '-c', enter, 'sh'],
        ...[...args, ...mounts, '--', ...(locked ? unprivileged : []), ...command],
      ],
      { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    this.#ended = once(this.#child, 'close').then(([code, signal]: unknown[]) => (signal ?? code) as string | number)
  }

  static async run(surroundings: Surroundings, command: string[]): Promise<Container> {
    const root = await mkdtemp(join(tmpdir(), 'botwright-container-'))
    await mkdir(join(root, 'root'))
    await writeFile(
      join(root, 'passwd'),
      `root:x:0:0::/root:/bin/sh\nnode:x:${NODE_USER}:${NODE_USER}::/home/node:/bin/sh\n`,
    )
    await writeFile(join(root, 'group'), `root:x:0:\nnode:x:${NODE_USER}:\n`)
    return new Container(root, surroundings, command)
  }

  /** Its output on both streams. */
  get output(): string {
    return this.#output
  }

  /** The exit code or signal. */
  get ended(): Promise<number | string | null> {
    return this.#ended
  }

  /** Like `docker stop` and `docker kill`: sends a signal to process 1. */
  kill(signal: NodeJS.Signals): void {
    process.kill(this.#first(), signal)
  }

  /** Like `docker exec`, as the user of the container. */
  async exec(...command: string[]): Promise<{ code: number | null; output: string }> {
    const where = ['--target', String(this.#first()), '--mount', '--pid', '--root']
    const who = this.#locked ? unprivileged : []
    const child = spawn('nsenter', [...where, 'env', '-C', this.#workdir, ...who, ...command], { env: this.#env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output }
  }

  /** Its process id on this machine. */
  #first(): number {
    const { pid } = this.#child
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.kill('SIGKILL')
    await this.#ended
    await rm(this.#root, { recursive: true, force: true, maxRetries: 5 })
  }
}
