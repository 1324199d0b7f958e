// @module-tag all/processes
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Service, startService } from '@botwright/service'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProgram, type Running } from './terminal.test.fixture.ts'

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
const program = join(checkout, 'packages/framework/bin/framework.cjs')

/** Control sequences that copy to the clipboard, clear the screen, move the cursor, reverse a line, and forge one. */
const attacks = {
  clipboard: '\u001b]52;c;ZXZpbA==\u0007',
  screen: '\u001b[2J\u001b[1;1H',
  c1: '\u009b2J',
  bidi: '\u202egnp.exe',
  back: 'harmless\u0008\u0008\u0008\u0008',
  forged: 'x\r\n✓ forged line\n✓ another forged line',
}

/** No control but line feeds and tabs, no bidi control, and no escape sequence but colors. */
const harmful =
  /\u001b(?!\[[\d;]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

describe('text of people', () => {
  let root: string
  let service: Service
  const person = (name: string, method: string, path: string, body: object) =>
    fetch(`${service.url}/people/v1${path}`, {
      method,
      headers: {
        authorization: `Person ${service.world.people[name]!.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
  const says = (content: string) =>
    person('ann', 'POST', `/channels/${service.world.servers['Workshop']!.channels['general']}/messages`, { content })

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'botwright-terminal-'))
    await mkdir(join(root, 'commands'))
    await mkdir(join(root, 'node_modules'))
    await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
    await writeFile(join(root, 'package.json'), '{"type":"module"}')
    await writeFile(
      join(root, 'commands/echo.ts'),
      `export default (ctx) => {
        ctx.log.info({ given: ctx.event.content }, 'logged ' + ctx.event.content)
        ctx.log.warn({ given: ctx.event.content }, 'warned ' + ctx.event.content)
        return 'ok'
      }`,
    )
    await writeFile(
      join(root, 'commands/fail.ts'),
      `export default (ctx) => { throw new Error('failed on ' + ctx.event.content) }`,
    )
    await writeFile(join(root, 'bot.config.ts'), 'export default { record: true }')
    const token = 'token-of-the-terminal-bot'
    service = await startService({
      port: 0,
      world: {
        people: [{ username: 'ann' }],
        bots: [{ username: 'helper', owner: 'ann', token }],
        servers: [{ name: 'Workshop', owner: 'ann', bots: ['helper'], channels: [{ name: 'general' }] }],
      },
    })
    process.env['BOT_TOKEN'] = token
    process.env['BOT_BASE_URL'] = service.base_url
  })
  afterAll(async () => {
    delete process.env['BOT_TOKEN']
    delete process.env['BOT_BASE_URL']
    await service.close()
    await rm(root, { recursive: true, force: true })
  })

  async function talk(bot: Running, ready: string): Promise<void> {
    await expect.poll(() => bot.output()).toContain(ready)
    for (const text of Object.values(attacks)) {
      expect((await says(`/echo ${text}`)).status).toBe(200)
      expect((await says(`/fail ${text}`)).status).toBe(200)
    }
    // The last attack is handled twice: logged and thrown.
    await expect.poll(() => bot.output()).toMatch(/failed on \/fail x/)
    await expect.poll(() => bot.output()).toMatch(/warned \/echo x/)
    await bot.stop()
  }

  it('does not control the terminal of framework dev or forge a line there', { tags: ['all/processes'] }, async () => {
    const bot = startProgram([program, 'dev', '--real'], { cwd: root, env: { FORCE_COLOR: '1' } })
    await talk(bot, 'echo.ts')
    expect(harmful.exec(bot.output())).toBeNull()
    const plain = bot.output().replaceAll(/\u001b\[[\d;]*m/g, '')
    expect(plain).toContain('forged line')
    expect(plain.split('\n').filter((line) => line.startsWith('✓ ') && line.includes('forged'))).toEqual([])
  })

  it('does not control a terminal that shows the log of framework start, which stays JSON', async () => {
    await promisify(execFile)(process.execPath, [program, 'build'], { cwd: root })
    const bot = startProgram([program, 'start'], { cwd: root, env: {} })
    await talk(bot, 'is ready')
    expect(harmful.exec(bot.output())).toBeNull()
    const lines = bot.output().trim().split('\n')
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow()
    expect(lines.some((line) => (JSON.parse(line) as { given?: string }).given?.includes(attacks.bidi))).toBe(true)
  })
})
