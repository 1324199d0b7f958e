// orval's fetch client takes one type per body: without the raw pictures it sends pictures as forms.
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const output = {
  client: 'fetch',
  baseUrl: { getBaseUrlFromSpecification: true },
  override: { contentType: { exclude: pictures } },
}

export default {
  bot: { input: './bot.json', output: { ...output, target: './bot.ts' } },
  people: { input: './people.json', output: { ...output, target: './people.ts' } },
}
