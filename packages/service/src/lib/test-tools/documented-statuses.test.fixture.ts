import { channelWebhookEndpoints, endpoints } from '@botwright/protocol'
import { pathsOf } from '@botwright/protocol/openapi'
import { peopleOpenApi } from '../people-api/openapi.ts'
import { fits } from '../http/router.ts'
import { webhookBases } from '../channel-webhooks/routes.ts'

type Paths = Record<string, Partial<Record<string, { responses?: object }>>>

const webhookPaths = pathsOf(channelWebhookEndpoints, { scheme: 'botToken' })
const served: { base: string; paths: Paths }[] = [
  { base: '/v1', paths: pathsOf(endpoints, { scheme: 'botToken' }) },
  { base: '/people/v1', paths: peopleOpenApi().paths },
  ...webhookBases.map((base) => ({ base, paths: webhookPaths })),
]

/** Throws if the OpenAPI documents describe a call but not its response status. */
export function expectDocumented(method: string, path: string, status: number): void {
  const [pathname = ''] = path.split('?', 1)
  const statuses = served.flatMap(({ base, paths }) =>
    Object.entries(paths)
      .filter(([pattern]) => fits(base + pattern, pathname))
      .flatMap(([, item]) => Object.keys(item[method.toLowerCase()]?.responses ?? {})),
  )
  if (statuses.length === 0 || statuses.includes(String(status))) return
  throw new Error(`${method} ${path} answered ${status}; its OpenAPI document lists ${statuses.join(', ')}`)
}
