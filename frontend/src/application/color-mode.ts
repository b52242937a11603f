import { applyMode, Mode } from '@cloudscape-design/global-styles';
import { useSyncExternalStore } from 'react';

export type ColorMode = 'light' | 'dark';

// Kept by the browser: which of them to look at is no fact about any cluster.
const KEPT = 'instantstart.color-mode';
const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** The mode that a person chose, or else the system's. */
export function colorMode(): ColorMode {
  const chosen = localStorage.getItem(KEPT);
  return chosen === 'light' || chosen === 'dark' ? chosen : systemMode();
}

/** Choose a mode; the system's own is followed from then on. */
export function chooseColorMode(mode: ColorMode): void {
  if (mode === systemMode()) {
    localStorage.removeItem(KEPT);
  } else {
    localStorage.setItem(KEPT, mode);
  }
  show();
}

/** Show the mode, now and whenever the system changes its own. */
export function followColorMode(): void {
  system.addEventListener('change', show);
  show();
}

export function useColorMode(): ColorMode {
  return useSyncExternalStore(listen, colorMode);
}

function systemMode(): ColorMode {
  return system.matches ? 'dark' : 'light';
}

function show(): void {
  const mode = colorMode();
  applyMode(mode === 'dark' ? Mode.Dark : Mode.Light);
  document.documentElement.style.colorScheme = mode;
  for (const listener of listeners) {
    listener();
  }
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
