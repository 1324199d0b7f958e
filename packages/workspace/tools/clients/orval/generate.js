import config from './orval.config.js'

// `node generate.js orval` or another name under which a version of orval is installed.
const { generate } = await import(process.argv[2])
for (const one of Object.values(config)) await generate(one)
