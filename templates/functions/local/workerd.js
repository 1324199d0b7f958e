// Serves out/bot.mjs with workerd, the runtime of Cloudflare Workers. It takes the variables of server.js, and the settings of wrangler.json.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'

const { PORT = '8080', SCHEDULE_SECONDS = '60' } = process.env

async function serve() {
  const root = new URL('../', import.meta.url)
  const settings = JSON.parse(await readFile(new URL('wrangler.json', root), 'utf8'))
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: Number(PORT),
    modules: [{ type: 'ESModule', path: fileURLToPath(new URL(settings.main, root)) }],
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags,
    bindings: { ...process.env },
  })
  const url = await miniflare.ready
  const worker = await miniflare.getWorker()
  // The next run repeats what failed.
  const scheduled = () => worker.scheduled({ cron: settings.triggers.crons[0] }).catch(console.error)
  await scheduled()
  setInterval(() => void scheduled(), Number(SCHEDULE_SECONDS) * 1000)
  // At a signal, Miniflare ends workerd and this process.
  console.log(`listening on ${url}`)
}

await serve()
