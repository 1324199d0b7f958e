import { channelWebhooksExecute, meSetAvatar, serversList } from './bot.ts'
import { meGet } from './people.ts'

const [, botToken, personToken, webhookId = '', webhookToken = '', picture = ''] = process.argv.slice(2)
const asBot = { headers: { authorization: `Bot ${botToken}` } }

const listed = await serversList(asBot)
if (listed.status !== 200) throw new Error(listed.data.error)
const me = await meGet({ headers: { authorization: `Person ${personToken}` } })
const file = new Blob([Buffer.from(picture, 'base64')], { type: 'image/png' })
const { status: avatar } = await meSetAvatar({ file }, asBot)
const posted = await channelWebhooksExecute(
  webhookId,
  webhookToken,
  { content: 'built' },
  { wait: 'true' },
  { headers: { 'content-type': 'application/json' } },
)
if (me.status !== 200 || posted.status !== 200) throw new Error('refused')
// @ts-expect-error The type of the response is known: a name is not a number.
export const wrong: number = listed.data.servers[0]!.name
// @ts-expect-error A picture is not text.
export const wrongFile: Parameters<typeof meSetAvatar>[0] = { file: 'text' }
const servers = listed.data.servers.map(({ name }) => name)
console.log(JSON.stringify({ servers, name: me.data.person.username, avatar, content: posted.data.content }))
