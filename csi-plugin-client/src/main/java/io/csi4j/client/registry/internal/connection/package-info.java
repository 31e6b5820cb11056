/** The connection to one instance of a plugin: pure rules, the queries to the plugin, and the poller of its socket. */
@NullMarked
package io.csi4j.client.registry.internal.connection;

import org.jspecify.annotations.NullMarked;
