import { elapsedOf, within } from '@botwright/clock'
import type { Definition } from '../../author/files/entries.ts'
import type { Work, WorkHost } from '../../runtime/ports/work.ts'
import { openHttp } from './http-server.ts'
import { Routes } from './routes.ts'

/** Opens the routes with their server. Rejects with `ERR_CONFIG` if a secret cannot be used, or the port cannot be opened. */
export async function openRoutes(host: WorkHost, definitions: readonly Definition[]): Promise<Work> {
  const { clock, config, log } = host
  const routes = new Routes(host, definitions)
  if (!config.http) return routes
  const { answer } = routes
  const server = await openHttp(config.http, { log, answer })
  const { host: name } = config.http
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${server.port}`
  log.info({ port: server.port }, `routes listening on ${url}`)
  return {
    answer,
    update: (given) => routes.update(given),
    get running() {
      return routes.running
    },
    async stop(graceMs) {
      const ended = Promise.all([server.close(), routes.stop(graceMs)])
      await within(elapsedOf(clock), graceMs, () => ended).catch(() => {})
      server.drop()
    },
  }
}
