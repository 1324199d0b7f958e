import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

for (const name of ['bot', 'people']) {
  const document = JSON.parse(await readFile(`./${name}.json`, 'utf8'))
  await writeFile(`./${name}.ts`, astToString(await openapiTS(document)))
}
