import { build } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

for (const name of ['bot', 'people']) {
  const { error } = await build({
    config: {
      root: '.',
      input: { path: `./${name}.json` },
      output: { path: `./${name}`, extension: { '.ts': '.ts' } },
      plugins: [
        pluginOas(),
        pluginTs({ output: { path: 'models' } }),
        pluginClient({ output: { path: 'clients' }, client: 'fetch' }),
      ],
    },
  })
  if (error) throw error
}
