import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The packages of the repository. */
export const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

/** The binary of workerd for this computer, which its package finds when it is installed. */
export async function workerd(): Promise<string> {
  const require = createRequire(import.meta.url)
  const own = createRequire(require.resolve('workerd/package.json'))
  const names = await readdir(join(modules, '@cloudflare')).catch(() => [])
  const name = names.find((one) => one.startsWith('workerd-'))
  if (name === undefined) throw new Error('workerd is not installed for this computer: npm ci')
  return own.resolve(`@cloudflare/${name}/bin/workerd`)
}

/** The configuration of a worker on a port, with the modules beside it. The first one is its entry. */
export function workerdConfig(
  port: number,
  env: Readonly<Record<string, string>>,
  moduleNames: readonly string[],
): string {
  const list = moduleNames.map((name) => `(name = "${name}", esModule = embed "${name}")`)
  const bindings = Object.entries(env).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .bot),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const bot :Workerd.Worker = (
  modules = [${list.join(', ')}],
  bindings = [${bindings.join(', ')}],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ["nodejs_compat"],
);`
}

/** Serves `dist/bot.mjs` of a folder with workerd. `GET /scheduled` calls `scheduled`. */
export async function serveInWorkerd(
  root: string,
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; output: () => string }> {
  const folder = join(root, 'workerd')
  await mkdir(folder)
  await cp(join(root, 'dist/bot.mjs'), join(folder, 'bot.mjs'))
  // workerd calls `scheduled` only from another worker.
  await writeFile(
    join(folder, 'worker.mjs'),
    `import bot from './bot.mjs'
export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/scheduled') return bot.fetch(request, env, ctx)
    await bot.scheduled({}, env, ctx)
    return new Response('done')
  },
}`,
  )
  await writeFile(join(folder, 'config.capnp'), workerdConfig(port, env, ['worker.mjs', 'bot.mjs']))
  let output = ''
  const child = spawn(await workerd(), ['serve', 'config.capnp'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
  return { child, output: () => output }
}
