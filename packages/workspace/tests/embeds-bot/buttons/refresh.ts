import { button, embed, integer, type Outgoing, row } from '@botwright/framework'

const refresh = button({
  params: { waiting: integer({ min: 0, max: 1000 }) },
  run: (ctx) => ctx.update(statusMessage(ctx.params.waiting + 1)),
})

export function statusMessage(waiting: number): Exclude<Outgoing, string> {
  return {
    embeds: [
      embed({
        title: 'Queue',
        description: 'Orders of **today**',
        url: 'https://example.com/orders',
        color: waiting > 1 ? '#d33a2c' : '#2c9d5b',
        author: { name: 'Shop', icon_url: 'https://cdn.example.com/shop.png' },
        fields: [
          { name: 'Waiting', value: String(waiting), inline: true },
          { name: 'Done', value: (1234).toLocaleString('en'), inline: true },
        ],
        thumbnail: { url: 'https://cdn.example.com/queue.png' },
        footer: { text: 'Updated on request' },
        timestamp: '2026-03-01T08:00:00Z',
      }),
    ],
    components: [row(refresh.button({ waiting }, { label: 'Refresh' }))],
  }
}

export default refresh
