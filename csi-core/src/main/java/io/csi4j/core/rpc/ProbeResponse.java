package io.csi4j.core.rpc;

/**
 * The response of Probe: the plugin is healthy (R39).
 *
 * @param ready false while the plugin is still starting, which does not mean that it is unhealthy; true if the plugin
 *     does not report it
 */
public record ProbeResponse(boolean ready) {}
