// Measures a bot with 100 commands: the time to check its types, and the time until `framework start` is ready.
//   REPS=5 COMMANDS=100 node packages/workspace/bench/hundred.mjs
// Needs the build. Prints medians, next to those of an empty Node process and an empty tsc run on the same machine.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '@botwright/dev'
import { startService } from '@botwright/service'

const REPS = Number(process.env.REPS ?? 5)
const COMMANDS = Number(process.env.COMMANDS ?? 100)
const token = 'token-of-the-hundred'
const program = fileURLToPath(new URL('../../framework/bin/framework.cjs', import.meta.url))
/** The newest version, and the version of new bots. */
const compilers = { 'tsc 7': 'ts7', 'tsc 6': 'typescript' }
const tscOf = (name) => fileURLToPath(new URL(`../../../node_modules/${name}/bin/tsc`, import.meta.url))
// Inside the checkout, so that its modules resolve the packages.
const root = mkdtempSync(fileURLToPath(new URL('../.bench-', import.meta.url)))

const command = (i) => `import { boolean, command, embed, integer, oneOf, row, text, user } from '@botwright/framework'
import confirm from '../buttons/confirm${i % 10}.ts'

export default command({
  description: 'Command number ${i}',
  args: { title: text({ max: 80 }), count: integer({ min: 1, max: 100 }).default(${i + 1}), how: oneOf('a', 'b').default('a'), who: user().optional(), loud: boolean() },
  run: async (ctx) => {
    const { title, count, who, how, loud } = ctx.args
    await ctx.reply({
      embeds: [embed({ title, description: \`\${count} \${who ?? 'nobody'} \${how} \${loud}\` })],
      components: [row(confirm.button({ count, how }, { label: 'OK', style: 'success' }))],
    })
  },
})
`
const button = `import { button, integer, oneOf } from '@botwright/framework'

export default button({
  params: { count: integer({ min: 0, max: 1000 }), how: oneOf('a', 'b') },
  run: (ctx) => ctx.update(\`\${ctx.params.count} \${ctx.params.how}\`),
})
`

/** Runs a program and returns the milliseconds until its output contains `seen`, or until it ends. */
function time(args, { env = {}, seen } = {}) {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } })
    let output = ''
    let ms
    const read = (data) => {
      output += data
      if (ms !== undefined || seen === undefined || !output.includes(seen)) return
      ms = performance.now() - startedMs
      child.kill('SIGTERM')
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('close', (code) => {
      if (seen === undefined && code === 0) return resolve(performance.now() - startedMs)
      if (ms !== undefined) return resolve(ms)
      reject(new Error(`${args.join(' ')} ended with ${code}:\n${output.slice(-2000)}`))
    })
  })
}

async function median(work) {
  await work()
  const all = []
  for (let i = 0; i < REPS; i++) all.push(await work())
  all.sort((a, b) => a - b)
  return `${all[REPS >> 1].toFixed(0)} (${all[0].toFixed(0)}-${all.at(-1).toFixed(0)})`
}

try {
  mkdirSync(join(root, 'commands'))
  mkdirSync(join(root, 'buttons'))
  for (let i = 0; i < COMMANDS; i++) writeFileSync(join(root, 'commands', `command${i}.ts`), command(i))
  for (let i = 0; i < 10; i++) writeFileSync(join(root, 'buttons', `confirm${i}.ts`), button)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}\n')
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
    ...{ lib: ['es2023', 'esnext.disposable'], verbatimModuleSyntax: true, allowImportingTsExtensions: true },
  }
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['commands', 'buttons', '.framework'] }),
  )
  writeFileSync(join(root, 'empty.ts'), 'export {}\n')
  writeFileSync(join(root, 'tsconfig.empty.json'), JSON.stringify({ compilerOptions, files: ['empty.ts'] }))
  await build(root, join(root, 'dist'))
  const service = await startService({
    port: 0,
    world: {
      people: [{ username: 'ann' }],
      bots: [{ username: 'helper', owner: 'ann', token }],
      servers: [{ name: 'Workshop', owner: 'ann', bots: ['helper'], channels: [{ name: 'general' }] }],
    },
  })
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' }
  console.log(`a bot with ${COMMANDS} commands, median (min-max) of ${REPS}, ms`)
  for (const [title, name] of Object.entries(compilers)) {
    const tsc = tscOf(name)
    console.log(`  ${title}, one empty file ${await median(() => time([tsc, '-p', 'tsconfig.empty.json']))}`)
    console.log(`  ${title}                 ${await median(() => time([tsc, '-p', 'tsconfig.json']))}`)
  }
  console.log(`  node, nothing to do   ${await median(() => time(['-e', '0']))}`)
  console.log(`  framework start       ${await median(() => time([program, 'start'], { env, seen: 'is ready' }))}`)
  await service.close()
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.exit(0)
