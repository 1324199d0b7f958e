import { createClient } from '@hey-api/openapi-ts'

for (const name of ['bot', 'people']) {
  await createClient({
    input: `./${name}.json`,
    output: { path: `./${name}`, module: { extension: '.ts' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  })
}
