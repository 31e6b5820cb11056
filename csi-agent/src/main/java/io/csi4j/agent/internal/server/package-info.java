/** The service of a server that agents call. Not part of the API. */
@NullMarked
package io.csi4j.agent.internal.server;

import org.jspecify.annotations.NullMarked;
