import { checkContent, checkPicture } from '../rules/content-rules.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { findChannel } from '../store/access.ts'
import {
  findChannelWebhook,
  insertChannelWebhook,
  ownedViews,
  notifyChannelWebhooks,
  withNewUrl,
} from '../store/channel-webhooks.ts'

/** Handlers for managing channel webhooks; the router has checked the permission. */
export const channelWebhooks: Handlers<PeopleEndpoints>['channelWebhooks'] = {
  create({ chat, actor, channel, body }) {
    if (body.avatar_url) checkPicture(chat, 'avatar_url', body.avatar_url)
    checkContent(chat, actor, { name: body.name })
    const made = insertChannelWebhook(chat, channel, actor, body)
    notifyChannelWebhooks(chat, channel)
    return made
  },
  list: ({ chat, channel }) => ({ webhooks: ownedViews(chat, channel.id) }),
  newUrl: ({ chat, params }) => withNewUrl(chat, params.webhook_id),
  delete({ chat, params }) {
    const channel = findChannel(chat, findChannelWebhook(chat, params.webhook_id)!.channel_id)!
    chat.sql.run('DELETE FROM channel_webhooks WHERE id = ?', params.webhook_id)
    notifyChannelWebhooks(chat, channel)
    return ok
  },
}
