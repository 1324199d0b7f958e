import { InvalidArgumentError } from 'commander'

/** Reads the value of `--port`. */
export function readPort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('must be a port, from 0 to 65535')
  return port
}
