import { channelWebhooksExecute } from './bot/clients/channelWebhooks/execute.ts'
import { meSetAvatar } from './bot/clients/me/setAvatar.ts'
import { serversList } from './bot/clients/servers/list.ts'
import { meGet } from './people/clients/me/get.ts'

const [origin, botToken, personToken, webhookId = '', webhookToken = '', picture = ''] = process.argv.slice(2)
const asBot = { baseURL: `${origin}/v1`, headers: { authorization: `Bot ${botToken}` } }
const asPerson = { baseURL: `${origin}/people/v1`, headers: { authorization: `Person ${personToken}` } }
const json = { 'content-type': 'application/json' }

const listed = await serversList(asBot)
const me = await meGet(asPerson)
const file = new Blob([Buffer.from(picture, 'base64')], { type: 'image/png' })
const { ok } = await meSetAvatar({ file }, asBot)
const posted = await channelWebhooksExecute(
  webhookId,
  webhookToken,
  { content: 'built' },
  { wait: 'true' },
  { baseURL: `${origin}/webhooks`, headers: json },
)
// @ts-expect-error The type of the response is known: a name is not a number.
export const wrong: number = listed.servers[0]!.name
// @ts-expect-error A picture is not text.
export const wrongFile: Parameters<typeof meSetAvatar>[0] = { file: 'text' }
const servers = listed.servers.map(({ name }) => name)
const content = posted !== null && typeof posted === 'object' && 'content' in posted ? posted.content : undefined
console.log(JSON.stringify({ servers, name: me.person.username, avatar: ok ? 200 : 0, content }))
