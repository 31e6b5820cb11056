/**
 * The request log: lines about requests, responses and the messages of streams, without confidential values. Internal
 * to csi4j.
 */
@NullMarked
package io.csi4j.client.internal.log;

import org.jspecify.annotations.NullMarked;
