import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withLab } from './lab.ts'
import { type Frame, record } from './record.ts'
import type { Scene } from './scenes.ts'
import { createSteady, steadyRow } from './steady.ts'
import { picture } from './svg.ts'

/** Frames of an animation, at most, and ms between two of them, at least: it moves, and its file stays small. */
const FRAMES = 40
const STEP = 250

/** Plays the scenes, one after the other, and writes docs/img/NAME.svg. */
export async function renewPictures(root: string, scenes: Scene[]): Promise<void> {
  const folder = join(root, 'docs/img')
  await mkdir(folder, { recursive: true })
  for (const scene of scenes) {
    const frames = await play(root, scene)
    await writeFile(join(folder, `${scene.name}.svg`), picture(frames, scene))
  }
}

function play(root: string, scene: Scene): Promise<Frame[]> {
  return withLab(root, scene.lab, async ({ env }) => {
    if (scene.before) await promisify(execFile)('bash', ['-c', scene.before], { env, cwd: root })
    const steady = createSteady(Date.now())
    const script = scene.lines.map((line) => `printf '%s\\n' ${quoted(`$ ${line}`)}; ${line}`)
    const frames = await record(script.join('\n'), { env, cwd: root, ...scene }, scene.codes)
    const seen = scene.still ? [{ ...frames.at(-1)!, at: 0 }] : spaced(frames)
    return seen.map(({ at, rows }) => ({ at, rows: rows.map((row) => steadyRow(row, steady)) }))
  })
}

/** A frame each step, only where something has changed, and always the last one. */
function spaced(frames: Frame[]): Frame[] {
  const { at: end } = frames.at(-1)!
  const step = Math.ceil(Math.max(STEP, end / FRAMES) / 50) * 50
  const kept: Frame[] = []
  for (let at = 0; at < end + step; at += step) {
    const { rows } = frames.findLast((one) => one.at <= at) ?? frames[0]!
    if (JSON.stringify(kept.at(-1)?.rows) !== JSON.stringify(rows)) kept.push({ at, rows })
  }
  return kept
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
