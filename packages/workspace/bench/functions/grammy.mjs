// The same bot with grammY, as its guide for Cloudflare Workers has it: with botInfo, so that no start asks for it, and one Bot for all requests.
import { Bot, webhookCallback } from 'grammy'

let handle

export default {
  fetch(request, env) {
    handle ??= create(env)
    return handle(request)
  },
}

function create(env) {
  const bot = new Bot(env.BOT_TOKEN, { botInfo: JSON.parse(env.BOT_INFO), client: { apiRoot: env.API_ROOT } })
  bot.command('echo', (ctx) => ctx.reply(ctx.match))
  return webhookCallback(bot, 'cloudflare-mod', { secretToken: env.BOT_WEBHOOK_SECRET })
}
