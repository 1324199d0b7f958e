import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { ownLimits } from './own-limits.ts'

test('the numbers are those of §8, and of the decisions where §8 has none', () => {
  expect(limits).toEqual({
    messages: { requests: 30, seconds: 60, per: 'bot' },
    message_content: { characters: 2000 },
    embeds_per_message: { bot: 5, channel_webhook: 10 },
    embed_title: { characters: 256 },
    embed_description: { characters: 4096 },
    embed_fields: { bot: 10, channel_webhook: 25 },
    embed_total: { characters: 6000 },
    button_rows: { rows: 5, buttons: 5 },
    button_label: { characters: 80 },
    button_custom_id: { min: 1, characters: 100 },
    button_clicks: { requests: 5, seconds: 10, per: 'person' },
    interaction: { answer_seconds: 3, open_seconds: 900, answers: 10 },
    display_name: { characters: 32 },
    bio: { characters: 190 },
    activity: { characters: 60 },
    avatar: { bytes: 8_388_608 },
    banner: { bytes: 10_485_760 },
    commands: { max: 100, cautious: 50 },
    command_name: { min: 1, characters: 32 },
    members_page: { default: 200, min: 1, max: 500 },
    messages_page: { default: 50, min: 1, max: 100 },
    bulk_delete: { ids: 100 },
    event_poll_wait: { seconds: 25 },
    event_retention: { seconds: 86_400 },
    channel_slowmode: { seconds: 21_600 },
    timeout: { minutes: 40_320 },
    voice_moves: { requests: 30, seconds: 60, per: 'bot' },
    voice_lookups: { requests: 60, seconds: 60, per: 'bot' },
    new_channels: { requests: 10, seconds: 60, per: 'server' },
    bots_per_person: { free: 2, paid: 10 },
    bots_per_server: { max: 25 },
    event_webhook_delivery: { seconds: 3 },
    channel_webhook_posts: { requests: 5, seconds: 2, per: 'channel_webhook' },
    channel_webhook_posts_per_channel: { requests: 30, seconds: 60, per: 'channel' },
    channel_webhooks: { per_channel: 10 },
    channel_webhook_username: { characters: 80 },
    message_edits: { requests: 10, seconds: 10, per: 'message' },
    edits: { requests: 120, seconds: 60, per: 'bot' },
    reactions: { requests: 300, seconds: 60, per: 'bot' },
    channel_edits: { requests: 60, seconds: 60, per: 'channel' },
    profile_changes: { requests: 60, seconds: 60, per: 'bot' },
  })
})

test('the limits without a number in the specification are those of decisions 50 to 53', () => {
  expect(ownLimits).toEqual({
    url: { characters: 2048 },
    name: { characters: 100 },
    command_description: { characters: 1000 },
    reason: { characters: 500 },
    submission_description: { characters: 2000 },
  })
})
