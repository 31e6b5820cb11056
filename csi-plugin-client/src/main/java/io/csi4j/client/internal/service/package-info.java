/** The typed services of a client. A service encodes the request, makes the call and decodes the answer. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.service;

import org.jspecify.annotations.NullMarked;
