package io.csi4j.core.rpc;

/**
 * The response of Probe: the plugin is healthy (R39).
 *
 * @param ready false while the plugin, although healthy, is still starting; true also if the plugin does not report
 *     whether it is ready
 */
public record ProbeResponse(boolean ready) {}
