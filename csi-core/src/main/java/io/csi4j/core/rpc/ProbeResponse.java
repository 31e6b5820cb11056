package io.csi4j.core.rpc;

/**
 * The response of Probe: the plugin is healthy (R39).
 *
 * @param ready false while the plugin is still starting, which is not an illness; a plugin that does not say is ready
 */
public record ProbeResponse(boolean ready) {}
