import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

/**
 * Writes into `folder` which libraries a bundle contains: their licenses, which must be kept with their code (LICENSES.txt), and their names and
 * versions for scanners, as CycloneDX 1.6 (sbom.cdx.json). `inputs`: the files of the bundle. `manifest`: of the package
 * that contains the bundle.
 */
export async function writeBundledLibraries(folder, { inputs, manifest }) {
  const libraries = await librariesOf(inputs)
  const texts = libraries.map(({ name, text }) => `${name}\n\n${text.trim()}\n`)
  const { name, version } = JSON.parse(await readFile(manifest, 'utf8'))
  await writeFile(join(folder, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
  await writeFile(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbomOf({ name, version }, libraries), null, 2)}\n`)
}

async function librariesOf(inputs) {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(file)) ?? [])
  const found = [...new Set(folders)].map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e(?:[.-]\w+)*$/i.test(entry))
    if (!file) throw new Error(`${name} has no license file: its code cannot be bundled`)
    return { name, version, license, text: await readFile(join(folder, file), 'utf8') }
  })
  return (await Promise.all(found)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Has no time and no random serial number, so that the same sources build the same package. */
function sbomOf(owner, libraries) {
  const component = ({ name, version, license }, type) => ({
    ...{ type, 'bom-ref': purlOf(name, version), name, version, purl: purlOf(name, version) },
    ...(license && {
      licenses: [/ (?:OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
  })
  const components = libraries.map((one) => component(one, 'library'))
  const digest = createHash('sha256')
    .update(JSON.stringify([owner, components]))
    .digest('hex')
  const uuid = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ]
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${uuid.join('-')}`, version: 1 },
    metadata: { component: component(owner, 'library') },
    components,
    dependencies: [{ ref: purlOf(owner.name, owner.version), dependsOn: components.map((one) => one['bom-ref']) }],
  }
}

const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
