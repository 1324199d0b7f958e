// Puts the declarations that an author's compiler reads beside the joined files: the framework's own, and of the packages below and the
// joined libraries those that these lean on. So a bot installs none of them.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const own = fileURLToPath(new URL('../dist/', import.meta.url))
const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }

/** Writes into `folder`. `entries` are files of dist/, without their ending. */
export async function joinTypes(folder, entries) {
  const { name: self, dependencies = {}, peerDependencies = {} } = JSON.parse(await readFile(manifest, 'utf8'))
  const installed = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies), self])
  const pending = entries.map((entry) => join(own, `${entry}.d.ts`))
  for (const file of pending) {
    let text = await readFile(file, 'utf8')
    const place = placeOf(file)
    // From the last to the first, so that the places of those before stay right.
    for (const { fileName: specifier, pos } of ts.preProcessFile(text, true, true).importedFiles.reverse()) {
      if (specifier.startsWith('node:') || installed.has(nameOf(specifier))) continue
      const target = resolve(specifier, file)
      if (!pending.includes(target)) pending.push(target)
      const path = relative(dirname(place), placeOf(target))
        .split(sep)
        .join('/')
        .replace(/\.d\.(m?)ts$/, '.$1js')
      const literal = JSON.stringify(path.startsWith('.') ? path : `./${path}`)
      text = text.slice(0, pos) + literal + text.slice(pos + specifier.length + 2)
    }
    await mkdir(dirname(join(folder, place)), { recursive: true })
    await writeFile(join(folder, place), text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''))
  }
  // A library whose types are CommonJS stays CommonJS.
  for (const file of pending.filter((one) => one.includes(`${sep}node_modules${sep}`))) {
    const found = ts.findConfigFile(dirname(file), ts.sys.fileExists, 'package.json')
    const to = join(folder, dirname(placeOf(file)), 'package.json')
    if (JSON.parse(await readFile(found, 'utf8')).type !== 'module') await writeFile(to, '{ "type": "commonjs" }\n')
    else await copyFile(found, to)
  }
}

/** Where a declaration goes: the framework's own where they are, others into a folder for each package. */
function placeOf(file) {
  if (file.startsWith(own)) return file.slice(own.length)
  const [, house, inner] = /[\\/]packages[\\/]([^\\/]+)[\\/]dist[\\/](.+)$/.exec(file) ?? []
  if (house) return join('types', house, inner)
  const [, library, path] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/](.+)$/.exec(file) ?? []
  if (!library) throw new Error(`${file} belongs to no package`)
  return join('types', library, path)
}

function resolve(specifier, from) {
  const found = ts.resolveModuleName(specifier, from, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext)
  const path = found.resolvedModule?.resolvedFileName
  if (!path) throw new Error(`${from} imports "${specifier}", which has no declarations`)
  return path
}

const nameOf = (specifier) =>
  specifier.startsWith('.') ? '' : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
