import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')

/** The first block of a language, as a reader copies it: without the indent of a list. */
async function block(page: string, language: string, begins = ''): Promise<string> {
  const text = await read(`packages/site/docs/${page}.md`)
  for (const { groups } of text.matchAll(/^(?<indent> *)```(?<language>\w+)\n(?<code>[^]*?)^ *```$/gm)) {
    const code = groups!['code']!.replaceAll(new RegExp(`^${groups!['indent']}`, 'gm'), '')
    if (groups!['language'] === language && code.startsWith(begins)) return code
  }
  throw new Error(`${page}.md has no block of ${language}`)
}

test('the page shows the Dockerfile and compose.yaml of the templates', async () => {
  expect(await block('docker', 'dockerfile')).toBe(await read('templates/basic/Dockerfile'))
  expect(await block('docker', 'yaml')).toBe(await read('templates/basic/compose.yaml'))
})

test('the page shows the nginx configuration of the template, with its names filled in', async () => {
  const template = (await read('templates/webhook/deploy/nginx.conf'))
    .replace(/^#.*\n/, '')
    .replaceAll('${BOT_HOST}', 'bot.example.com')
    .replaceAll('${NGINX_LOCAL_RESOLVERS}', '127.0.0.53')
    .replaceAll('${BOT_UPSTREAM}', '127.0.0.1:8788')
    .replaceAll('/etc/nginx/certs/', '/etc/letsencrypt/live/bot.example.com/')
  expect(await block('webhooks-behind-nginx', 'nginx')).toBe(template)
})

test("nginx resolves the bot's name again, at the name servers of its container", async () => {
  const template = await read('templates/webhook/deploy/nginx.conf')
  // A name in proxy_pass that is not in a variable is resolved once, at startup.
  expect([...template.matchAll(/proxy_pass (.+);/g)].map(([, target]) => target)).toEqual(['http://$bot'])
  expect(template).toContain('set $bot ${BOT_UPSTREAM};')
  expect(template).toMatch(/^ +resolver \$\{NGINX_LOCAL_RESOLVERS\} valid=\d+s;$/m)
  expect(await read('templates/webhook/compose.yaml')).toMatch(/^ +NGINX_ENTRYPOINT_LOCAL_RESOLVERS: 1$/m)
})

test('the unit does not restart after exit codes that a restart cannot fix, and systemd accepts it', async () => {
  const unit = await block('systemd', 'ini', '[Unit]')
  const production = await read('packages/framework/docs/production.md')
  const prevented = /`(?<line>RestartPreventExitStatus=[\d ]+)`/.exec(production)!.groups!['line']!
  expect(unit).toContain(`\n${prevented}\n`)
  // The verdict of systemd itself, on machines that have it.
  if (!existsSync('/usr/bin/systemd-analyze')) return
  const folder = await mkdtemp(join(tmpdir(), 'botwright-unit-'))
  try {
    const file = join(folder, 'my-bot.service')
    await writeFile(file, unit.replace('/usr/bin/node', process.execPath))
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', [
      'verify',
      '--man=no',
      '--recursive-errors=no',
      file,
    ])
    expect(stdout + stderr).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})
